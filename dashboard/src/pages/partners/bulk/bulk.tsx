import "./bulk.css";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useAction } from "../../../api/use-action.ts";
import { Button } from "../../../components/button.tsx";
import type { Progress } from "../../../components/progress.tsx";
import { SelectionBar } from "../../../components/selection-bar.tsx";
import { useShortcuts } from "../../../components/shortcuts.tsx";
import { formatCount } from "../../../format.ts";
import { useProgram, useSignUpMode } from "../../../session.tsx";
import type { ListedPartner } from "../queries.ts";
import BulkOutcome from "./bulk-outcome.tsx";
import { CouponsDialog } from "./coupons-dialog.tsx";
import { GroupDialog } from "./group-dialog.tsx";
import { MailDialog } from "./mail-dialog.tsx";
import { readMatching } from "./read-matching.ts";
import { Running } from "./running.tsx";
import { StatusDialog } from "./status-dialog.tsx";
import type { BulkPartner, BulkResult } from "./verbs.ts";

interface BulkProps {
  /** The partners on the page. */
  readonly partners: readonly ListedPartner[];
  readonly selectedIds: ReadonlySet<number>;
  readonly onSelect: (ids: ReadonlySet<number>) => void;
  /** Number of partners on all pages that match the search. */
  readonly total: number;
  readonly search: string | undefined;
}

type Verb = "invite" | "ask" | "coupons" | "group" | "pause" | "resume";

/** The bar for selected partners: the buttons for changing them, and the outcome of the last change. */
export default function Bulk({ partners, selectedIds, onSelect, total, search }: BulkProps): JSX.Element {
  const [matching, setMatching] = useMatching(selectedIds, search);
  const [verb, setVerb] = useState<Verb>();
  const [result, setResult] = useState<BulkResult>();
  const read = useReadMatching(search, setMatching);
  const ticked = partners.filter(({ id }) => selectedIds.has(id));
  const selected: readonly BulkPartner[] = matching ?? ticked;
  const onDone = (done: BulkResult) => {
    setVerb(undefined);
    setResult(done);
    const rest = matching?.filter(({ id }) => done.left.has(id)) ?? [];
    onSelect(done.left);
    setMatching(rest.length > partners.length ? rest : undefined, done.left);
  };
  const verbs = useVerbs(selected);
  useShortcuts(
    selected.length > 0 && read.progress === undefined,
    Object.fromEntries(verbs.map(({ key, verb }) => [key.toLowerCase(), () => setVerb(verb)])),
  );
  const isAll = ticked.length === partners.length;
  const asking = { partners: selected, onDone, onClose: () => setVerb(undefined) };
  return (
    <>
      {result && <BulkOutcome result={result} onUndone={setResult} />}
      {selected.length > 0 && (
        <SelectionBar count={selected.length} verbs={Object.fromEntries(verbs.map(({ key, said }) => [key, said]))}>
          <span class="verbs">
            {verbs.map(({ key, title, verb }) => (
              <Button key={key} shortcut={key} onClick={() => setVerb(verb)}>
                {title}
              </Button>
            ))}
          </span>
          {!isAll && matching === undefined && (
            <Button look="quiet" onClick={() => onSelect(new Set(partners.map(({ id }) => id)))}>
              Select all
            </Button>
          )}
          {isAll && matching === undefined && total > partners.length && read.progress === undefined && (
            <Button look="quiet" onClick={read.start}>
              Select all {formatCount(total)} that match
            </Button>
          )}
          <Running many={{ ...read, progress: read.progress && { ...read.progress, total } }} label="Read" />
          <Button look="quiet" onClick={() => onSelect(new Set())}>
            Clear selection
          </Button>
        </SelectionBar>
      )}
      {(verb === "invite" || verb === "ask") && <MailDialog {...asking} verb={verb} />}
      {verb === "coupons" && <CouponsDialog {...asking} />}
      {verb === "group" && <GroupDialog {...asking} />}
      {verb === "pause" && <StatusDialog {...asking} to="paused" />}
      {verb === "resume" && <StatusDialog {...asking} to="active" />}
    </>
  );
}

interface KeyedVerb {
  readonly key: string;
  readonly verb: Verb;
  readonly title: string;
  /** The text that screen readers announce. */
  readonly said: string;
}

function useVerbs(selected: readonly BulkPartner[]): readonly KeyedVerb[] {
  const { isArchived } = useProgram();
  const { data: mode } = useSignUpMode();
  const has = (wanted: BulkPartner["status"]) => selected.some(({ status }) => status === wanted);
  return [
    ...(mode?.sendsMail === true && has("active")
      ? [{ key: "I", verb: "invite", title: "Invite by mail…", said: "invite" } as const]
      : []),
    ...(mode?.sendsMail === true
      ? [{ key: "D", verb: "ask", title: "Ask for payment details…", said: "ask for payment details" } as const]
      : []),
    ...(isArchived ? [] : [{ key: "C", verb: "coupons", title: "Create coupons…", said: "create coupons" } as const]),
    { key: "G", verb: "group", title: "Move to group…", said: "move to a group" },
    ...(has("active") ? [{ key: "P", verb: "pause", title: "Pause…", said: "pause" } as const] : []),
    ...(has("paused") ? [{ key: "R", verb: "resume", title: "Resume…", said: "resume" } as const] : []),
  ];
}

type Matching = readonly BulkPartner[] | undefined;

/**
 * The partners of a selection that goes beyond the page. Undefined again once the checked rows or the search change.
 */
function useMatching(selectedIds: ReadonlySet<number>, search: string | undefined) {
  const [chosen, setChosen] = useState<{ partners: Matching; of: ReadonlySet<number>; search: string | undefined }>();
  const isCurrent = chosen?.of === selectedIds && chosen.search === search;
  const set = (partners: Matching, of = selectedIds) => setChosen({ partners, of, search });
  return [isCurrent ? chosen.partners : undefined, set] as const;
}

function useReadMatching(search: string | undefined, onRead: (partners: readonly BulkPartner[]) => void) {
  const { program } = useProgram();
  const [progress, setProgress] = useState<Progress>();
  const controller = useRef<AbortController | undefined>(undefined);
  const stop = () => controller.current?.abort();
  useEffect(() => stop, [search]);
  const read = useAction(
    async () => {
      const own = new AbortController();
      controller.current = own;
      const onProgress = (done: number) => setProgress({ done, total: done, isWaiting: false });
      onProgress(0);
      try {
        return await readMatching({ program, search, signal: own.signal, onProgress });
      } catch (error) {
        if (own.signal.aborted) return undefined;
        throw error;
      } finally {
        setProgress(undefined);
      }
    },
    { onDone: (found) => found && onRead(found) },
  );
  return { progress, stop, start: () => void read.run(undefined) };
}
