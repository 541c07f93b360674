import type { BulkPartner, BulkResult } from "./verbs.ts";

export interface VerbProps {
  readonly partners: readonly BulkPartner[];
  readonly onDone: (result: BulkResult) => void;
  readonly onClose: () => void;
}
