import { expect, test } from "vitest";
import { detailOf } from "../../../runtime/node/log.ts";

test.each([
  [{ message: "disk I/O error", code: "SQLITE_IOERR" }, "disk I/O error (SQLITE_IOERR)"],
  [{ message: "disk I/O error" }, "disk I/O error"],
  [null, "null"],
  ["stopped", "stopped"],
  [new TypeError("no function"), expect.stringMatching(/^TypeError: no function\n +at /)],
])("the log describes the thrown value %j", (thrown, detail) => expect(detailOf(thrown)).toEqual(detail));
