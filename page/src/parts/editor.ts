// The editor: CodeMirror in a shadow root, because its styles may then be adopted without any inline style.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { sql } from "@codemirror/lang-sql";
import { syntaxHighlighting } from "@codemirror/language";
import { setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { dialect } from "../lib/highlight";

export interface Editor {
  mark: (problem: { line: number; column: number; message: string } | null) => void;
  destroy: () => void;
}

const look = EditorView.theme({
  "&": { fontSize: "13px", color: "var(--text)", backgroundColor: "var(--panel)", minHeight: "320px" },
  "&.cm-focused": { outline: "2px solid var(--accent)" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--muted)", border: "none" },
  ".cm-activeLine": { backgroundColor: "var(--hover)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selection) !important" },
  ".tok-keyword": { color: "var(--accent)" },
  ".tok-string": { color: "var(--good)" },
  ".tok-number": { color: "var(--warn)" },
  ".tok-comment": { color: "var(--muted)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)" },
  ".cm-tooltip": { backgroundColor: "var(--panel)", color: "var(--text)", border: "1px solid var(--line)" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--panel)" },
});

export function makeEditor(place: HTMLElement, text: string, onChange: (text: string) => void): Editor {
  const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        closeBrackets(),
        autocompletion(),
        highlightActiveLine(),
        syntaxHighlighting(classHighlighter),
        sql({ dialect, upperCaseKeywords: true }),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": "SQL of the new view" }),
        EditorView.updateListener.of((update) => update.docChanged && onChange(update.state.doc.toString())),
        look,
      ],
    }),
  });
  return {
    mark(problem) {
      view.dispatch(setDiagnostics(view.state, problem === null ? [] : [diagnostic(view, problem)]));
    },
    destroy: () => view.destroy(),
  };
}

function diagnostic(view: EditorView, problem: { line: number; column: number; message: string }) {
  const line = view.state.doc.line(Math.min(Math.max(1, problem.line), view.state.doc.lines));
  const from = Math.min(line.from + Math.max(0, problem.column - 1), line.to);
  const word = /^[\w.]+/.exec(line.text.slice(from - line.from))?.[0].length ?? 1;
  return { from, to: Math.min(line.to, from + Math.max(1, word)), severity: "error" as const, message: problem.message };
}
