import { PostgreSQL, SQLDialect } from "@codemirror/lang-sql";
import { classHighlighter, highlightCode } from "@lezer/highlight";

export interface Piece {
  text: string;
  kind: string;
}

export const dialect = SQLDialect.define({
  ...PostgreSQL.spec,
  keywords: `${PostgreSQL.spec.keywords ?? ""} freshness materialized penalty owner site refresh policy explain interval window tolerance overload adapt`,
});

export function highlighted(text: string): Piece[] {
  const pieces: Piece[] = [];
  const tree = dialect.language.parser.parse(text);
  highlightCode(
    text,
    tree,
    classHighlighter,
    (code, kind) => pieces.push({ text: code, kind }),
    () => pieces.push({ text: "\n", kind: "" }),
  );
  return pieces;
}
