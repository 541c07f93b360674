/** The version of another company's API that a guide was last checked against. */
export interface Vendor {
  readonly name: string;
  /** The guide, which contains the line that `lineOf` returns. */
  readonly page: string;
  /** The versions of the JSON that we read. Empty if events have no version. */
  readonly apis: readonly string[];
  /** The npm package that the tests use. RevenueCat has none for servers. */
  readonly package?: { readonly name: string; readonly version: string };
  /** The day of the check, as YYYY-MM-DD. */
  readonly checkedOn: string;
  /** The page on which the vendor lists changes. */
  readonly changes: string;
}

export const vendors: readonly Vendor[] = [
  {
    name: "Stripe",
    page: "docs/integration.md",
    apis: ["2026-10-28.endive"],
    package: { name: "stripe", version: "23.1.0" },
    checkedOn: "2026-11-28",
    changes: "https://docs.stripe.com/changelog",
  },
  {
    name: "Paddle",
    page: "docs/paddle.md",
    apis: [],
    package: { name: "@paddle/paddle-node-sdk", version: "3.10.0" },
    checkedOn: "2026-11-28",
    changes: "https://developer.paddle.com/changelog",
  },
  {
    name: "Lemon Squeezy",
    page: "docs/lemon-squeezy.md",
    apis: ["v1"],
    package: { name: "@lemonsqueezy/lemonsqueezy.js", version: "4.0.0" },
    checkedOn: "2026-11-28",
    changes: "https://docs.lemonsqueezy.com/api/orders/the-order-object",
  },
  {
    name: "Polar",
    page: "docs/polar.md",
    apis: ["2026-04", "2026-10", "2027-01"],
    package: { name: "@polar-sh/sdk", version: "1.0.1" },
    checkedOn: "2026-11-28",
    changes: "https://polar.sh/docs/changelog/recent",
  },
  {
    name: "RevenueCat",
    page: "docs/revenuecat.md",
    apis: ["1.0"],
    checkedOn: "2026-11-28",
    changes: "https://www.revenuecat.com/docs/integrations/webhooks/event-types-and-fields",
  },
  {
    name: "Standard Webhooks",
    page: "docs/webhooks.md",
    apis: [],
    package: { name: "standardwebhooks", version: "1.1.1" },
    checkedOn: "2026-11-28",
    changes: "https://github.com/standard-webhooks/standard-webhooks",
  },
];

/** Returns the sentence about the check in the guide. */
export function lineOf({ name, apis, package: own, checkedOn }: Vendor): string {
  const checked = [
    ...(apis.length > 0 ? [`API ${apis.join(", ")}`] : []),
    ...(own ? [`\`${own.name}\` ${own.version}`] : []),
  ];
  return `Checked against ${name}${name.endsWith("s") ? "'" : "'s"} ${checked.join(" and ")} on ${checkedOn}.`;
}
