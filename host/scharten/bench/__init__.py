"""Benchmarks: each prints its figure beside its target."""
