import { isPlaceholderId } from "#domain/caller-id.ts";
import type { PartnerId } from "#domain/ids.ts";
import type { ImportEffects } from "#domain/import.ts";
import { notFound } from "#domain/result.ts";
import { auditOfOperation } from "#store/audit.ts";
import { customerByKey, unconfirmedSalesBefore } from "#store/customers.ts";
import { linkOfPartner, partnerOfProgram } from "#store/partners.ts";
import { earlierAmountLocks } from "../attribution/amount-locks.ts";
import { newCustomer } from "../attribution/customer.ts";
import { policiesOfProgram } from "../attribution/policies.ts";
import { customerKeyLock, customerLock } from "../attribution/resolve-customer.ts";
import { type Deciding, type Decision, type Operation, refuse } from "../operation.ts";
import {
  type Assignable,
  assignment,
  effectsIn,
  type MoreOfCustomer,
  readOfCustomer,
  storedEffects,
} from "./assignment.ts";
import { noted } from "./noted.ts";
import { auditWrite, type ChangeCall, isArchived, noChange } from "./settings-change.ts";

export interface AssignCustomerCall extends ChangeCall {
  readonly kind: "assign-customer";
  readonly customerKey: string;
  readonly partnerId: PartnerId;
  /** Milliseconds. Null for the instant of the call. */
  readonly since: number | null;
  /** True if sales between a past `since` and now earn commission. */
  readonly payPast: boolean;
  readonly reason: string;
}

export interface CustomerAssigned {
  readonly partnerCode: string;
  readonly since: number;
  /** The effects of this call alone. */
  readonly effects: ImportEffects;
  /** True if more sales are going to be reattributed than `effects` counts. */
  readonly hasMore: boolean;
  /** Of the customer's newest 100 sales before `since`, the number whose commission stays unconfirmed. */
  readonly unconfirmedSales: number;
}

const bookOf = ({ programId }: AssignCustomerCall) => ({ programId, isTest: false });

function gather(call: AssignCustomerCall, more: Partial<MoreOfCustomer>) {
  const { programId, partnerId, customerKey, operationId } = call;
  return {
    done: auditOfOperation({ operationId }),
    partner: partnerOfProgram({ programId, id: partnerId }),
    firstLink: linkOfPartner({ partnerId }),
    customers: customerByKey({ ...bookOf(call), customerKey }),
    unconfirmedSales: unconfirmedSalesBefore({ programId, customerKey, before: call.since ?? call.at }),
    ...readOfCustomer(programId, more),
  };
}

/** A member assigns a partner to a customer whose attribution isn't confirmed. */
export const assignCustomer: Operation<
  AssignCustomerCall,
  ReturnType<typeof gather>,
  CustomerAssigned,
  MoreOfCustomer
> = {
  kind: "assign-customer",
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }, policiesOfProgram(programId)],
  gather,
  locks: (call, { customers, sales }) => ({
    exclusive: [customerKeyLock(bookOf(call), call.customerKey), ...customers.map(({ id }) => customerLock(id))],
    shared: earlierAmountLocks(sales, customers),
  }),

  decide(call, { done, partner, firstLink, customers, unconfirmedSales, ...found }, context) {
    const { programId, partnerId, at } = call;
    const program = context.settings.program(programId);
    if (!program) return refuse(notFound("program"));
    if (partner === undefined || firstLink === undefined) return refuse(notFound("partner"));
    const [known] = customers;
    if (known?.confirmedAt != null) {
      const isSame =
        known.source === "person" && known.partnerId === partnerId && known.since === (call.since ?? known.since);
      if (!isSame) return refuse({ code: "final" });
      // If this call has no audit entry, another call assigned the customer, and this one had no effects.
      const since = known.since ?? at;
      return noChange(programId, { partnerCode: firstLink.code, since, ...effectsIn(done?.after), unconfirmedSales });
    }
    if (known === undefined && isPlaceholderId(call.customerKey)) {
      return refuse({ code: "placeholder_id", field: "customerKey" });
    }
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    if (known != null && known.movedUpTo !== null) return refuse({ code: "moving" });
    return assign(call, { ...found, known, firstLink, unconfirmedSales }, { program, context, at });
  },
};

function assign(
  call: AssignCustomerCall,
  {
    known,
    unconfirmedSales,
    ...found
  }: Omit<Assignable, "customer" | "since"> & Pick<CustomerAssigned, "unconfirmedSales">,
  deciding: Deciding,
): Decision<CustomerAssigned, MoreOfCustomer> {
  const { programId, partnerId, customerKey, at, reason } = call;
  const { context } = deciding;
  const since = call.since ?? at;
  if (since < at && !call.payPast) return refuse({ code: "past_needs_consent" });
  const customer = known ?? newCustomer(bookOf(call), context.newId("customers"), customerKey, at);
  const assigned = assignment({ ...found, known, customer, since }, deciding);
  if ("kind" in assigned) return assigned;
  const { partnerCode, effects, hasMore, holdUntil } = assigned;
  const subject = `customer ${customer.id}`;
  const texts = noted({ programId, subject }, { reason }, context);
  const after = { partnerId, since, ...storedEffects(assigned), ...texts.named };
  const change = { programId, action: "customer.assigned", subject, before: null, after };
  return {
    kind: "commit",
    programId,
    answer: { partnerCode, since, effects, hasMore, unconfirmedSales },
    writes: [...texts.writes, ...assigned.writes, auditWrite(call, change, context)],
    holdUntil,
  };
}
