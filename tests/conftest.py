"""Settings for the whole suite."""

from hypothesis import HealthCheck, settings

# Time says nothing on a shared machine: a property fails by its answer alone.
settings.register_profile("policyc", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("policyc")
