"""Events sent elsewhere, from the store and off the request path: OTLP logs and syslog."""
