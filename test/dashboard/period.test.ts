import { expect, test } from "vitest";
import { movedRange, periodQuery } from "../../dashboard/src/pages/overview/period.ts";

test("a period of the URL, and a range of which one end is moved", () => {
  expect(periodQuery({})).toEqual({ period: "30d" });
  expect(periodQuery({ period: "90d" })).toEqual({ period: "90d" });
  expect(periodQuery({ period: "forever", dateFrom: "2026-01-01" })).toEqual({ period: "30d" });
  const range = { dateFrom: "2026-01-05", dateTo: "2026-01-09" };
  expect(periodQuery({ period: "7d", ...range })).toEqual(range);
  expect(movedRange({ ...range, dateFrom: "2026-02-01" }, "dateFrom")).toEqual({
    dateFrom: "2026-02-01",
    dateTo: "2026-02-01",
  });
  expect(movedRange({ ...range, dateTo: "2026-01-01" }, "dateTo").dateFrom).toBe("2026-01-01");
  expect(movedRange({ ...range, dateFrom: "2020-01-01" }, "dateFrom").dateTo).toBe("2023-01-04");
  expect(movedRange({ ...range, dateTo: "2030-01-01" }, "dateTo").dateFrom).toBe("2026-12-29");
});
