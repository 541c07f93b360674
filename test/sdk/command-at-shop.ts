import { expect } from "vitest";
import type { WorldSettings } from "../../harness/world.ts";
import { createProgramFixture } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";
import type { Command, Ended } from "./command.ts";

/** Runs the command with a shop's key, and checks that it never prints the key. */
export async function openShop(cli: Command, settings?: WorldSettings) {
  const shop = await createProgramFixture(settings);
  const environment = { TRIBUTARY_API_KEY: shop.world.key, TRIBUTARY_URL: sharedService.url };
  const run = async (...args: string[]): Promise<Ended> => {
    const ended = await cli.run(args, environment);
    expect(ended.out + ended.err).not.toContain(shop.world.key);
    expect(ended.out + ended.err).not.toContain("\x1b");
    return ended;
  };
  return { shop, environment, run };
}

/** Parses the output, which must be one line of JSON. */
export const json = ({ out }: Ended) => {
  expect(out).toMatch(/^\{.*\}\n$/);
  return JSON.parse(out);
};
