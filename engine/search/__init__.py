"""Answers by search: exact, and estimated by playouts."""
