"""A crew of the workers of a Dask cluster; only this package knows Dask."""
