export const maxRunsPerHour = 10;

export const chainEvents = ["click", "lead", "sale"] as const;
export type ChainEvent = (typeof chainEvents)[number];

export const chainVerdicts = ["attributed", "unattributed", "wrong_partner", "pending"] as const;
export type ChainVerdict = (typeof chainVerdicts)[number];

export type TestChain = Readonly<Record<ChainEvent, ChainVerdict>>;

export const verdictOf = (expectedCode: string, partnerCode: string | undefined): ChainVerdict =>
  partnerCode === undefined ? "unattributed" : partnerCode === expectedCode ? "attributed" : "wrong_partner";

export const isFullyAttributed = ({ click, lead, sale }: TestChain): boolean =>
  [click, lead, sale].every((verdict) => verdict === "attributed");
