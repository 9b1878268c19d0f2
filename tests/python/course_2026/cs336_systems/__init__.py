from importlib.metadata import version

__version__ = version("cs336-systems")  # as the course's package asks
