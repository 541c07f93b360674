/** Of all endpoints that a session's cookie opens. */
export const forPeople = `**Retries.** After a lost connection, a 429 or a 5xx, a read can be sent again; a write only if its description says that a
repeat changes nothing.

**Errors.** A refused call changes nothing. Show \`error.message\` to people, and let code decide by the status and \`details.code\`.

**Headers.** Every response has \`X-Request-Id\`: send your own, of 8 to 64 letters, digits and \`._-\`, and it is kept. 429 and 503 say
in \`Retry-After\` how many seconds to wait, and operations with a limit say it in \`RateLimit-Policy\` and \`X-RateLimit-Limit\`.`;
