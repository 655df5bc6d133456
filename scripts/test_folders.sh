# Sourced by the scripts that run tests, which write tens of thousands of small files: into memory, where there is some
# to spare. `folders` is to be removed at the end.
folders=
if [ -w /dev/shm ] && [ "$(df --output=avail -k /dev/shm | tail -1)" -gt 4000000 ]; then
  folders=$(mktemp -d /dev/shm/headwater-tests.XXXXXX)
  export PYTEST_DEBUG_TEMPROOT=$folders
fi
