import { expect, test } from "vitest";
import { parseClickKeyRing } from "#domain/click-id.ts";
import { withNewestLast, withNewKey } from "../../scripts/service/secrets.ts";

test("rotating click keys puts the new key first, with its own id", () => {
  const secret = Buffer.alloc(32, 1).toString("base64url");
  const idsOf = (text: string | undefined) => [...(parseClickKeyRing(text ?? "")?.keys.keys() ?? [])];
  expect(idsOf(withNewKey(`0:${secret}`))).toEqual([1, 0]);
  expect(idsOf(withNewKey(`7:${secret},9:${secret}`))).toEqual([10, 7, 9]);
  expect(idsOf(withNewKey(`255:${secret},0:${secret}`))).toEqual([1, 255, 0]);
  // The first upload still signs with the key that every location already has.
  expect(withNewestLast(`3:c,2:b,1:a`)).toBe("2:b,1:a,3:c");
  const full = Array.from({ length: 256 }, (_, id) => `${id}:${secret}`).join(",");
  for (const ring of [full, "", "1:short", `1:${secret},1:${secret}`]) expect(withNewKey(ring)).toBeUndefined();
});
