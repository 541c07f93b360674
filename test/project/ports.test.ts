import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { node, root } from "../../scripts/root.ts";
import { freePort, portInstead, reserve } from "../../scripts/service/ports.ts";

test("a free port stays reserved for the process that got it until that process ends", async () => {
  const port = await freePort();
  const script = `
    import { freePort, reserve } from ${JSON.stringify(join(root, "scripts/service/ports.ts"))};
    console.log(JSON.stringify([await freePort(), await reserve(${port})]));`;
  const { stdout } = await promisify(execFile)(node, ["--input-type=module", "--eval", script]);
  const [others, isGiven] = JSON.parse(stdout);
  expect(isGiven).toBe(false);
  expect([await reserve(port), await reserve(others)]).toEqual([false, true]);
});

test("the port suggested instead of one in use is valid, and isn't the service's other port", () => {
  expect([portInstead(9308, undefined), portInstead(9308, 9309), portInstead(65_535, 65_534)]).toEqual([
    9309, 9310, 65_533,
  ]);
});
