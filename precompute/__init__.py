"""The offline job: solve deals and write them into a database."""
