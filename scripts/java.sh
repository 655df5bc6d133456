#!/usr/bin/env bash
# Spark needs Java 17 or newer: use JAVA_HOME or `java`, else install Debian's where we may, else say what to do.
set -uo pipefail
version() { "$1" -version 2>&1 | sed -nE 's/.*version "([0-9]+).*/\1/p' | head -n 1; }
good() { [ -x "$(command -v "$1" 2>/dev/null)" ] && v=$(version "$1") && [ -n "$v" ] && [ "$v" -ge 17 ]; }

[ -n "${JAVA_HOME:-}" ] && good "$JAVA_HOME/bin/java" && exit 0
[ -z "${JAVA_HOME:-}" ] && good java && exit 0
if [ -z "${JAVA_HOME:-}" ] && command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  echo "Java 17 not found: installing openjdk-17-jre-headless ..."
  (apt-get update -qq && apt-get install -y -qq openjdk-17-jre-headless) >/dev/null 2>&1
  good java && exit 0
fi
cat >&2 <<'TEXT'
Headwater needs Java 17 or newer to run Spark, and none was found.
  Debian, Ubuntu:  sudo apt-get install openjdk-17-jre-headless
  macOS:           brew install openjdk@17
  otherwise:       install any JDK 17+ and set JAVA_HOME to its folder
TEXT
exit 2
