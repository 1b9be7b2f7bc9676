"""Moves things; knows no pictures, no games, no stakes."""
