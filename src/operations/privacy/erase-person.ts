import { unavailable } from "#domain/result.ts";
import { erasureById } from "#store/erasures.ts";
import { personReads, personSize } from "#store/person.ts";
import { type Gathered, type Operation, refuse, retryWith } from "../operation.ts";
import { type AskedPerson, digestsOf, digestsOfCustomers, rowsOf } from "./erasing.ts";
import {
  answered,
  erase,
  type MoreOfPerson,
  type NewErasure,
  type PersonErased,
  receiptIdOf,
} from "./erasure-commits.ts";
import { gatherPerson, limitOf, type PersonCall, personOf } from "./person-call.ts";

export interface ErasePersonCall extends PersonCall {
  readonly kind: "erase-person";
}

function gather(call: ErasePersonCall, more: Partial<MoreOfPerson>) {
  const { operationId, programId } = call;
  return {
    ...gatherPerson(call),
    receipt: erasureById({ programId, id: receiptIdOf(operationId) }),
    size: more.personSize && personSize({ ...more.personSize }),
    ...(more.person && personReads(more.person)),
  };
}

type Found = Gathered<ReturnType<typeof gatherPerson>>;

export const erasePerson: Operation<ErasePersonCall, ReturnType<typeof gather>, PersonErased, MoreOfPerson> = {
  kind: "erase-person",
  isEssential: true,
  lane: "control",
  isExclusive: true,
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, found, context) {
    const { programId } = call;
    if (found.receipt !== undefined) return answered(found.receipt);
    const running = runningOf(found);
    if (running !== undefined) return answered({ ...running, programId, erasedAt: null });
    // A click stored during an outage and written after the erasure would contain erased data.
    if (context.keptClicksOf(programId) > 0) return refuse(unavailable);
    const limited = limitOf(found);
    if (limited !== undefined) return limited;
    const meant = found.meant.filter((customer) => customer.running === null);
    const asked = personOf(call, { ...found, meant });
    if ("kind" in asked) return asked;
    if (found.size === undefined) return retryWith({ personSize: rowsOf(programId, asked, "all") });
    if (found.size === 0) return refuse({ code: "person_not_found", receiptId: found.earlier?.id });
    const secrets = { programId, hashSecret: context.hashSecret };
    const erasure: NewErasure = {
      call,
      asked,
      subject: asked.customerIds.length + asked.erasedIds.length === 0 ? "click" : "customer",
      digests: [...digestsOf(secrets, namesOf(call, asked)), ...digestsOfCustomers(secrets, asked)],
    };
    return erase(erasure, { ...found, size: found.size }, context);
  },
};

/** A running erasure that covers all of the requested customers. */
function runningOf({ meant, earlier }: Pick<Found, "meant" | "earlier">) {
  if (meant.some(({ isErased }) => !isErased)) return undefined;
  const [running] = meant.flatMap((customer) => customer.running ?? []);
  return running ?? (earlier?.erasedAt === null ? earlier : undefined);
}

const namesOf = ({ emailHash }: ErasePersonCall, asked: AskedPerson): readonly string[] => [
  ...asked.names,
  ...asked.clickIds,
  ...(emailHash === null ? [] : [emailHash]),
];
