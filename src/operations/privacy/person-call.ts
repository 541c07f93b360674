import { hourMs } from "#domain/calendar.ts";
import { auditOfOperation } from "#store/audit.ts";
import { erasureOfDigests, privacyCallsSince } from "#store/erasures.ts";
import { clickHolders, customersMeant, mostCustomers, type PersonAsked } from "#store/person-asked.ts";
import type { ChangeCall } from "../manage/settings-change.ts";
import { type Decision, type Gathered, refuse } from "../operation.ts";
import { type AskedPerson, askedPerson } from "./erasing.ts";

/** Identifies a person by a customer key, an email address or a click id. */
export interface PersonCall extends ChangeCall, Pick<PersonAsked, "emailHash" | "clickId"> {
  /** Keys that calls may have used for the person. */
  readonly keys: readonly string[];
  /** Digests of the request's identifiers, in the form that an erasure stores. A JSON array. */
  readonly digests: string;
}

/** The subject of audit entries, which don't identify the person. */
export const privacySubject = "privacy";
/** The most exports and erasures of a program in an hour, counted together. */
const mostAnHour = 10;

export const gatherPerson = (call: PersonCall) => {
  const { operationId, programId, at, clickId, digests } = call;
  return {
    done: auditOfOperation({ operationId }),
    earlier: erasureOfDigests({ programId, digests }),
    meant: customersMeant(call),
    clickHolders: clickId === null ? undefined : clickHolders({ programId, clickId }),
    lately: privacyCallsSince({ programId, since: at - hourMs }),
  };
};

type Refusing = ReturnType<typeof refuse>;
type Found = Gathered<ReturnType<typeof gatherPerson>>;

/** Refuses a call that matches more than `mostCustomers` customers, or only a click that several customers sent. */
export function personOf(
  call: PersonCall,
  { meant, clickHolders = 0 }: Pick<Found, "meant" | "clickHolders">,
): AskedPerson | Refusing {
  const isShared = clickHolders > 1;
  const live = meant.filter(({ isErased }) => !isErased);
  if (live.length > mostCustomers) return refuse({ code: "too_many_customers" });
  return isShared && live.length === 0 ? refuse({ code: "several_customers" }) : askedPerson(call, meant, isShared);
}

export const limitOf = ({ done, lately }: Pick<Found, "done" | "lately">): Decision<never> | undefined =>
  done === undefined && lately >= mostAnHour
    ? refuse({ code: "rate_limited", retryAfterSeconds: hourMs / 1_000 })
    : undefined;
