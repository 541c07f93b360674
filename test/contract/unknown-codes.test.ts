import { describe, expect, it } from "vitest";
import { addDays, dateUtc, dayIn } from "#domain/calendar.ts";
import { daysAgo, inTestMode } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

describe("landings with unknown codes", () => {
  it("landings with unknown partner codes are listed by day and code, newest first, with live and test landings apart", async () => {
    const world = await people.world();
    const list = async (query = "") => {
      const reply = await people.viewer.get<{ data: unknown }>(
        `/api/programs/${world.programId}/unknown-codes${query}`,
      );
      expect(reply.status).toBe(200);
      return reply.body.data;
    };
    expect(await list()).toEqual([]);
    const row = (at: number, code: string, landings: number, isTest = 0) => ({
      sql: "insert into unknown_codes values (?, ?, ?, ?, ?)",
      args: [world.programId, isTest, dateUtc(at), code, landings],
    });
    await world.write(
      ...[row(daysAgo(2), "ana", 5), row(daysAgo(1), "ana", 2), row(daysAgo(1), "ben", 12)],
      ...[row(daysAgo(31), "old", 1), row(daysAgo(1), "tested", 1, 1)],
    );
    const yesterday = dateUtc(daysAgo(1));
    expect(await list()).toEqual([
      { day: yesterday, code: "ben", landings: 12 },
      { day: yesterday, code: "ana", landings: 2 },
      { day: dateUtc(daysAgo(2)), code: "ana", landings: 5 },
    ]);
    expect(await list("?test_mode=true")).toEqual([{ day: yesterday, code: "tested", landings: 1 }]);
  });

  // At any time, one of these days isn't the UTC day.
  it.each(["Pacific/Kiritimati", "Pacific/Pago_Pago"])(
    "the list of unknown partner codes covers the last 30 days in the program's time zone %s",
    async (timezone) => {
      const world = await people.world({ program: { timezone } });
      const before = dayIn(timezone, Date.now());
      const days = [28, 29, 30].map((back) => addDays(before, -back));
      await world.write(
        ...days.map((day) => ({
          sql: "insert into unknown_codes values (?, 0, ?, 'ana', 1)",
          args: [world.programId, day],
        })),
      );
      const path = `/api/programs/${world.programId}/unknown-codes`;
      const { data } = (await people.viewer.get<{ data: { day: string }[] }>(path)).body;
      const listed = (today: string) => days.filter((day) => day > addDays(today, -30));
      expect([listed(before), listed(dayIn(timezone, Date.now()))]).toContainEqual(data.map(({ day }) => day));
    },
  );

  it("a landing with an unknown partner code is counted, although its click is refused", async () => {
    const world = await people.world();
    const landing = { affiliate_url: "https://shop.example/?aff=Ana.", program_id: world.programId };
    expect((await sharedApi().click({ ...landing, ...inTestMode })).status).toBe(400);
    // Only 1,000 codes a minute are counted, and other tests send codes, too. So the click is repeated until it is counted.
    const landAgain = async () => {
      expect((await sharedApi().click(landing)).status).toBe(400);
      return (await people.viewer.get<{ data: unknown }>(`/api/programs/${world.programId}/unknown-codes`)).body.data;
    };
    await expect
      .poll(landAgain, { timeout: 150_000, interval: 1_000 })
      .toEqual([{ day: expect.any(String), code: "ana", landings: expect.any(Number) }]);
  });
});
