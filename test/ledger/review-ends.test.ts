import { expect, it } from "vitest";
import { dayMs } from "#domain/calendar.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { openShop, partnerEmail, type Shop, shopClock } from "./signals-shop.ts";

const own = isolatedDatabase();

const importPartner = ({ world, by, change }: Shop) =>
  change({
    ...{ ...by(), kind: "import-partners", source: "Elsewhere", isDryRun: false, mayUpdate: true },
    rows: [
      {
        ...{ line: 1, name: "Partner", codes: [world.partner.code], email: partnerEmail },
        ...{
          externalId: undefined,
          destinationUrl: undefined,
          group: undefined,
          status: undefined,
          payment: undefined,
        },
      },
    ],
  });

it.each([
  ["that they change to", ({ setEmail }: Shop) => setEmail(partnerEmail)],
  ["that is imported", importPartner],
  ["of an account that accepts an invitation", ({ acceptInvitation }: Shop) => acceptInvitation(partnerEmail)],
] as const)("a partner's address %s, equal to a customer's, starts a review and its alarm", async (_which, tell) => {
  const shop = await openShop(own.server.url, { program: { reviewDays: 1 } });
  await shop.refer("c1", partnerEmail);
  await shop.sell("own");
  await shop.maintain();
  shop.ledger.alarms.length = 0;
  await tell(shop);
  expect(await shop.raised()).toEqual({ own: "pending, held: self_referral hold" });
  expect(Math.min(...shop.ledger.alarms)).toBeLessThanOrEqual(shopClock.now() + dayMs);
});
