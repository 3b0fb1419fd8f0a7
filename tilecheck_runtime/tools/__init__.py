"""Measuring and tuning."""
