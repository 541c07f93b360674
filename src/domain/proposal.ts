import { dayMs } from "./calendar.ts";
import type { KeyId } from "./ids.ts";
import { isUsable, type KeyScope } from "./program-key.ts";

// A change that a program key proposes. A member opens it by a link, and makes the change with their own rights.

export const proposalActions = ["approve", "reject", "hold", "policy", "group", "adjustment", "application"] as const;
export type ProposalAction = (typeof proposalActions)[number];

export const proposalMs = 7 * dayMs;

/** The scopes that a key needs to propose. */
export const proposalScopes = ["read", "manage"] as const satisfies readonly KeyScope[];

/** Limits the length of the link, and of the request header in which the dashboard sends the proposal. */
export const maxProposalLength = 6_000;

export type Body = Readonly<Record<string, unknown>>;

/** The content of a link. */
export interface Proposal {
  readonly action: ProposalAction;
  /** The path of the proposed call below the program's, such as `partners/12/adjustments`. */
  readonly target: string;
  /** The body of the proposed call. */
  readonly body: Body;
  readonly reason: string;
  readonly keyId: KeyId;
  readonly issuedAt: number;
}

/** The part of a proposal that is recorded with the change. */
export interface Via {
  readonly keyId: KeyId;
  readonly reason: string;
  /** True if the member changed the proposed terms. */
  readonly isChanged: boolean;
}

/** Fields with the ids of the rows that a call changes. A call may change some of the proposed rows, and no others. */
const lists = ["ids", "partnerIds"] as const;

/** Fields that the dashboard fills in if the proposal lacks them. Adding such a field doesn't change the proposal. */
const withDefaults: readonly string[] = ["holdDays", "currency", "reference", "code", "groupId"];
/** Fields that aren't terms: text that the member may rephrase, and the days of a what-if. */
const notTerms: readonly string[] = ["reason", "from", "to"];

const listIn = (body: Body, name: string): readonly unknown[] => {
  const value = body[name];
  return Array.isArray(value) ? value : [];
};

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

const isSame = (a: unknown, b: unknown): boolean =>
  isEmpty(a) ? isEmpty(b) : JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

/** Sorts the fields of objects by name. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, of]) => [name, sorted(of)]),
  );
}

interface Called {
  readonly target: string;
  readonly body: Body;
}

/** The path of a call that moves partners to a group. The member may choose another group than the proposed one. */
const membersOfGroup = /^groups\/(none|\d+)\/partners$/;

/** True if the call is the proposed one, for the proposed rows or some of them. */
export function isProposed(
  { action, target, body }: Pick<Proposal, "action" | "target" | "body">,
  called: Called,
): boolean {
  const isWithin = lists.every((name) => {
    const proposed = new Set(listIn(body, name));
    const sent = listIn(called.body, name);
    return proposed.size === 0 ? sent.length === 0 : sent.length > 0 && sent.every((id) => proposed.has(id));
  });
  const isOfOwner =
    action !== "policy" || ["partnerId", "groupId"].every((name) => isSame(body[name], called.body[name]));
  const isSameCall = called.target === target || (action === "group" && membersOfGroup.test(called.target));
  return isSameCall && called.body.filter == null && isWithin && isOfOwner;
}

/** True if the call has other terms than the proposal, whichever rows the call changes. */
export function isChanged({ target, body }: Pick<Proposal, "target" | "body">, called: Called): boolean {
  const { body: sent } = called;
  if (called.target !== target) return true;
  const ignored = new Set<string>([...lists, ...notTerms]);
  const names = new Set([...Object.keys(body), ...Object.keys(sent)]);
  return [...names].some(
    (name) =>
      !ignored.has(name) && !(isEmpty(body[name]) && withDefaults.includes(name)) && !isSame(body[name], sent[name]),
  );
}

/** If a key is retired or loses a scope, the links to its proposals no longer work. */
export const mayPropose = (key: Parameters<typeof isUsable>[0], at: number): boolean =>
  isUsable(key, proposalScopes, at);
