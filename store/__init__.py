"""The bytes on disk: one home for the format, its writer and its readers."""
