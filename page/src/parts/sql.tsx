// SQL with its keywords marked. The highlighter is loaded when the first SQL is shown.
import { useEffect, useState } from "preact/hooks";
import type { Piece } from "../lib/highlight";

export function Sql({ text, label }: { text: string; label: string }) {
  const [pieces, setPieces] = useState<Piece[]>([{ text, kind: "" }]);
  useEffect(() => {
    let wanted = true;
    setPieces([{ text, kind: "" }]);
    void import("../lib/highlight").then(({ highlighted }) => wanted && setPieces(highlighted(text)));
    return () => {
      wanted = false;
    };
  }, [text]);
  return (
    <pre class="sql" tabIndex={0} aria-label={label}>
      {pieces.map((piece, at) => (piece.kind ? <span key={at} class={piece.kind}>{piece.text}</span> : piece.text))}
    </pre>
  );
}
