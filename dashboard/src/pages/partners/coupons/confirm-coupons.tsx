import type { JSX } from "preact";
import type { Many } from "../../../api/use-many.ts";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { useProgram } from "../../../session.tsx";
import { Running } from "../bulk/running.tsx";
import type { BulkResult } from "../bulk/verbs.ts";
import { type CheckedCoupons, createLabel, rowsToCreate } from "./check-coupons.ts";
import { CouponPreview } from "./coupon-preview.tsx";
import { createCoupons } from "./create-coupons.ts";

interface ConfirmCouponsProps {
  readonly title: string;
  readonly many: Many;
  readonly source: string;
  readonly checked: CheckedCoupons;
  readonly partnerOf?: (line: number) => number | undefined;
  readonly onBack: () => void;
  readonly onDone: (result: BulkResult) => void;
  readonly onClose: () => void;
}

/** Shows what a check has found, and creates and resumes the coupons once it is confirmed. */
export function ConfirmCoupons({ title, onBack, onDone, onClose, ...creating }: ConfirmCouponsProps): JSX.Element {
  const { program } = useProgram();
  const { many, checked } = creating;
  return (
    <Dialog title={title} onClose={onClose}>
      <CouponPreview checked={checked} />
      <Running many={many} label="Created" />
      <div class="row">
        <Button
          look="primary"
          isDisabled={rowsToCreate(checked).length + checked.paused.size === 0}
          isPending={many.progress !== undefined}
          onClick={() => void createCoupons({ ...creating, program }).then(onDone)}
        >
          {createLabel(checked)}
        </Button>
        {many.progress === undefined && <Button onClick={onBack}>Back</Button>}
      </div>
    </Dialog>
  );
}
