"""The console: what people see of the evaluator, and where they decide holds."""
