"""Budgets: what is counted of calls before they are decided."""
