import type { AttributionTerms } from "#domain/attribution.ts";
import type { Program } from "#store/settings.ts";

export const attributionTerms = ({
  attributionModel,
  attributionWindowDays,
  windowUntil,
}: Program): AttributionTerms => ({ model: attributionModel, windowDays: attributionWindowDays, windowUntil });
