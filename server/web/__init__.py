"""What people see of the evening: pages, API, and who may ask for what."""
