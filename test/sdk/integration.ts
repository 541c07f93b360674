import type { WorldSettings } from "../../harness/world.ts";
import { Tributary, type TributaryOptions, type Warning } from "../../sdk/src/index.ts";
import { createProgramFixture, type ProgramFixture } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";

export interface Integration {
  readonly shop: ProgramFixture;
  readonly tributary: Tributary;
  readonly warnings: Warning[];
}

export async function integrate(
  settings?: WorldSettings,
  options: Partial<TributaryOptions> = {},
): Promise<Integration> {
  const shop = await createProgramFixture(settings);
  const warnings: Warning[] = [];
  const onWarning = (warning: Warning) => void warnings.push(warning);
  const tributary = new Tributary({
    apiKey: shop.world.key,
    baseUrl: sharedService.url,
    onWarning,
    onError: () => {},
    ...options,
  });
  return { shop, tributary, warnings };
}

export const customer = { customerExternalId: "user-1" } as const;
export const order = { ...customer, amount: 10_000, invoiceId: "invoice-1" } as const;
