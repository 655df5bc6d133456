// Rows of a view, page by page, with a filter by a column's value.
import { useState } from "preact/hooks";
import { useAnswer } from "../lib/answers";
import { value } from "../lib/format";
import { Choice, Empty, Failure, Notice, Time, Waiting } from "./basics";
import { type Column, Table } from "./table";

type Row = Record<string, unknown>;

interface Page {
  time: string;
  rows: Row[];
  next: string | null;
}

const PAGE = 20;

export function Rows({ view, columns, role }: { view: string; columns: { name: string; type: string }[]; role: string }) {
  const [column, setColumn] = useState(columns[0]?.name ?? "");
  const [wanted, setWanted] = useState("");
  const [filter, setFilter] = useState("");
  const [cursors, setCursors] = useState<string[]>([]);
  const parameters = { limit: PAGE, cursor: cursors[cursors.length - 1], filter: filter ? [filter] : [] };
  const answer = useAnswer<Page>(role === "look" ? null : `/views/${encodeURIComponent(view)}`, parameters, cursors.length === 0 ? "always" : "never");
  if (role === "look") return <Notice mood="still">Rows need a key with the role query.</Notice>;
  const apply = (event: Event) => {
    event.preventDefault();
    setCursors([]);
    setFilter(wanted === "" ? "" : `${column}=${wanted}`);
  };
  return (
    <>
      <form class="tools" onSubmit={apply}>
        <Choice label="Where" value={column} options={columns.map(({ name }) => [name, name] as const)} onChange={setColumn} />
        <label class="choice">
          <span>is</span>
          <input value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} />
        </label>
        <button type="submit">Filter</button>
      </form>
      <Failure problem={answer.problem} />
      {!answer.value && !answer.problem && <Waiting />}
      {answer.value && answer.value.rows.length === 0 && <Empty title={filter ? "No row matches" : "It has no rows"} />}
      {answer.value && answer.value.rows.length > 0 && (
        <Table label={`Rows of ${view}`} columns={columns.map(shown)} rows={answer.value.rows} id={(row) => JSON.stringify(row)} />
      )}
      {answer.value && (
        <div class="tools">
          <button type="button" disabled={cursors.length === 0} onClick={() => setCursors(cursors.slice(0, -1))}>
            Before
          </button>
          <button
            type="button"
            disabled={!answer.value.next}
            onClick={() => answer.value?.next && setCursors([...cursors, answer.value.next])}
          >
            Next {PAGE}
          </button>
          <span class="quiet small">
            page {cursors.length + 1}, as of <Time at={answer.value.time} />
          </span>
        </div>
      )}
    </>
  );
}

function shown({ name, type }: { name: string; type: string }): Column<Row> {
  const number = /^(tiny|small|big)?int|^(decimal|double|float|integer|long)/.test(type);
  return {
    head: name,
    number,
    hint: type,
    cell: (row) => <span class={row[name] === null ? "quiet" : ""}>{value(row[name])}</span>,
  };
}
