"""A project: a folder with headwater.yml and *.sql files, read into the model."""

from headwater.project.fingerprint import fingerprint
from headwater.project.loading import load

__all__ = ["fingerprint", "load"]
