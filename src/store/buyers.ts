import {
  byIds,
  byKey,
  byKeyOrClicks,
  hasKey,
  hasSubscription,
  type KeyOrClicks,
  type KnownCustomer,
  knownCustomers,
} from "./customers.ts";
import { bySale, nearbySale } from "./nearby-sale.ts";
import { bySubscription } from "./sales.ts";
import { lookUp, lookUpFirst } from "./statement.ts";

// These lookups find the customer of a sale call, and an earlier sale of the customer that the call may duplicate.

export const buyerByKey = lookUp<(typeof byKey)[number] | (typeof bySale)[number], KnownCustomer>(
  [...byKey, ...bySale],
  (db, wanted, key) => knownCustomers(db, wanted, nearbySale(key)).where(hasKey(key)),
);

export const buyersByKeyOrClicks = lookUp<keyof KeyOrClicks | (typeof bySale)[number], KnownCustomer>(
  [...byKeyOrClicks, ...bySale],
  (db, wanted, key) => knownCustomers(db, wanted, nearbySale(key)).where(byIds(key)),
);

export const buyerOfSubscription = lookUpFirst<
  (typeof bySubscription)[number] | (typeof bySale)[number],
  KnownCustomer
>([...bySubscription, ...bySale], (db, wanted, key) =>
  knownCustomers(db, wanted, nearbySale(key)).where(hasSubscription(key)),
);
