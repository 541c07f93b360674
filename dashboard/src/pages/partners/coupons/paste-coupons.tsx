import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { fieldError } from "../../../api/failure.ts";
import { useAction } from "../../../api/use-action.ts";
import { useMany } from "../../../api/use-many.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Field, Form, type Values } from "../../../components/form.tsx";
import { parseCouponList } from "../../../forms/coupon-lines.ts";
import { useProgram } from "../../../session.tsx";
import { programAddress } from "../../../url.ts";
import { Running } from "../bulk/running.tsx";
import type { BulkResult } from "../bulk/verbs.ts";
import { type CheckedCoupons, checkCoupons } from "./check-coupons.ts";
import { ConfirmCoupons } from "./confirm-coupons.tsx";
import { couponCalls } from "./coupon-calls.ts";
import { couponQueryKeys } from "./queries.ts";
import { enteredEnds, ValidityFields, validityOf } from "./validity-fields.tsx";

const source = "Pasted list";

interface PasteCouponsProps {
  readonly onDone: (result: BulkResult) => void;
  readonly onClose: () => void;
}

/** Creates coupons from a pasted list. All lines are checked before any coupon is created. */
export default function PasteCoupons({ onDone, onClose }: PasteCouponsProps): JSX.Element {
  const { program } = useProgram();
  const many = useMany(couponQueryKeys(program.id));
  const [entered, setEntered] = useState<Values>({});
  const [checked, setChecked] = useState<CheckedCoupons>();
  const check = useAction(
    (values: Values) => {
      const { list = "" } = values;
      setEntered(values);
      const lines = parseCouponList(list);
      if (lines.length === 0) throw fieldError("list", "Enter a code and a partner in each line.");
      const { check, codesOfName } = couponCalls(many, program, source);
      return checkCoupons({ lines, validity: validityOf(values, program.timezone), check, codesOfName });
    },
    { failsIn: "form", onDone: setChecked },
  );
  const title = "Create several coupons";
  if (checked !== undefined) {
    return (
      <ConfirmCoupons {...{ title, many, source, checked, onDone, onClose }} onBack={() => setChecked(undefined)} />
    );
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <p>
        You have a file? <a href={programAddress(program.id, "import")}>Import it</a>
      </p>
      <Form action={check} submit="Preview" {...(many.progress === undefined && { onCancel: onClose })}>
        <Field
          name="list"
          label="Coupons"
          hint="One line for each coupon: its code, and the partner's code or name. You can paste cells of a spreadsheet."
          control={(wiring) => <textarea {...wiring} class="control" rows={8} defaultValue={entered.list} />}
        />
        <ValidityFields saved={enteredEnds(entered, program.timezone)} />
        <Running many={many} label="Checked" />
      </Form>
    </Dialog>
  );
}
