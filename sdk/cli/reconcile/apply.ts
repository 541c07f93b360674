import { setTimeout as delay } from "node:timers/promises";
import type { TrackingProblem } from "../../src/results.ts";
import { Tributary } from "../../src/tributary.ts";
import { type Comparing, type Differing, differenceOf, type Findings, figuresOf, type Missing } from "./compare.ts";
import type { Source } from "./source.ts";

interface Applying extends Comparing {
  readonly url: string;
  readonly onSent: (sent: number, all: number) => void;
}

const attempts = 5;

/** Sends missing payments and differing refunds with the webhook's helper. Returns the findings that are left. */
export async function apply(applying: Applying, findings: Findings): Promise<Findings & { readonly sent: string[] }> {
  const { source, ours, url, onSent } = applying;
  const refunded = findings.differs.filter(({ why }) => why === "refunds");
  const wanted = [...findings.missing, ...refunded];
  const send = createSender(source, url);
  const problems = new Map<string, string>();
  for (const [i, { id }] of wanted.entries()) {
    const named = await source.find(id);
    for (const event of named?.payment.events ?? []) {
      const problem = await send(event);
      if (problem !== undefined) problems.set(id, problem);
    }
    onSent(i + 1, wanted.length);
  }
  const recorded = await ours.lookUp(wanted.map(({ id }) => id));
  const isLeft = ({ id, theirs }: Missing | Differing): boolean => {
    const our = recorded.get(id);
    return our === undefined || differenceOf(theirs, our) !== "";
  };
  const left = new Set(wanted.filter(isLeft).map(({ id }) => id));
  const because = (id: string) => problems.get(id);
  const nowDiffering = (entry: Missing | Differing): Differing[] => {
    const our = recorded.get(entry.id);
    if (our === undefined || !left.has(entry.id)) return [];
    const why = [differenceOf(entry.theirs, our), because(entry.id)].filter(Boolean).join(": ");
    return [{ id: entry.id, theirs: entry.theirs, ours: figuresOf(our), why }];
  };
  const sent = wanted.map(({ id }) => id).filter((id) => !left.has(id));
  return {
    ...findings,
    matched: findings.matched + sent.length,
    missing: findings.missing
      .filter(({ id }) => !recorded.has(id))
      .map((entry) => ({ ...entry, why: because(entry.id) ?? "it wasn't recorded" })),
    differs: [...findings.differs.filter(({ why }) => why !== "refunds"), ...wanted.flatMap(nowDiffering)],
    sent,
  };
}

/** Returns a function that passes an event to the helper, and retries until the service has decided about the event. */
function createSender(source: Source, url: string) {
  let problems: TrackingProblem[] = [];
  const onError = (problem: TrackingProblem) => void problems.push(problem);
  const tributary = new Tributary({ baseUrl: url, onError, onWarning: () => {} });

  /** Resolves to a message if the event wasn't recorded as sent. */
  return async (event: object): Promise<string | undefined> => {
    for (let attempt = 1; ; attempt += 1) {
      problems = [];
      const { status, body } = await source.handle(event, tributary, false);
      const [problem] = problems;
      if (status === 200) return problem?.message;
      if (attempt === attempts) return problem?.message ?? body;
      await delay((problem?.failure?.error.retryAfterSeconds ?? attempt) * 1_000);
    }
  };
}
