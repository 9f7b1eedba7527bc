"""Experiments: what was tried, with which settings, and what came out?"""
