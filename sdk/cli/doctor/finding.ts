/** The result of one check. */
export interface Finding {
  readonly name: "address" | "clock" | "key" | "program" | "tracker" | "page" | "script" | "policy";
  readonly status: "pass" | "warn" | "fail";
  readonly message: string;
  readonly next_action?: string | undefined;
}
