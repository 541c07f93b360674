/** Texts that programs send by mistake when an id is missing. */
export const placeholders = [
  "undefined",
  "null",
  "NULL",
  "NaN",
  "None",
  "[object Object]",
  "[object Promise]",
  "{{user.id}}",
  "{{ user.id }}",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template that was never filled in
  "${user.id}",
  '"undefined"',
  "'null'",
  "`NaN`",
  '"{{user.id}}"',
];

/** Ids that resemble placeholders and may be correct. */
export const namesOfCustomers = [
  ...["nan", "none", "Null", "UNDEFINED", "Undefined", "nil", "0", "guest", "anonymous", "missing-id", "unknown"],
  ...["undefined-1", "user-null", "nullable", "user {{1}}", "$user", "{user}", "[object", "object Object", "'none'"],
  ...["\"undefined'", '"undefined', "undefined undefined"],
];
