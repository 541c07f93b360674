/** What may come of any call with a session. */
export const sessionRefusals = ["https_required", "no_session", "rate_limited", "internal", "unavailable"] as const;
/** What may come of any call that is for members, beside that. */
export const memberRefusals = ["not_found", "not_a_member", "role_too_low"] as const;
/** What may come of any write, beside that. One that is no JSON comes from elsewhere: it is no matter of 415. */
export const writeRefusals = ["foreign_origin"] as const;
/** What may come of any write with a body, beside that. */
export const inputRefusals = ["invalid_input", "malformed_json", "payload_too_large"] as const;
