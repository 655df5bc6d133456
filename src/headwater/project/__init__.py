"""A project: a folder with headwater.yml and *.sql files, read into the model."""

from headwater.project.loading import load

__all__ = ["load"]
