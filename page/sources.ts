// The hash of everything the built page is made from. tests/page/test_built.py computes it again, so that a page that
// is older than its sources is noticed without Node.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

const LEFT_OUT = new Set(["node_modules", "README.md"]);

export function hashOfSources(root: string): string {
  const hash = createHash("sha256");
  for (const path of files(root).sort()) {
    hash.update(path).update("\0").update(readFileSync(join(root, path))).update("\0");
  }
  return hash.digest("hex");
}

function files(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((path) => !path.split("/").some((part) => LEFT_OUT.has(part)));
}
