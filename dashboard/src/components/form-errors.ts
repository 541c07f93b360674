import { Failure } from "../api/failure.ts";

/** Adds an article to a noun, unless it is a plural: "the day of the sale", "a number of sales". */
function withArticle(noun: string): string {
  if (noun.includes(" of the ")) return `the ${noun}`;
  return /[^s]s$/.test(noun.replace(/ of .*/, "")) ? noun : `${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`;
}

function emptyMessage({ type, labels }: HTMLInputElement): string {
  const label = (labels?.[0]?.textContent ?? "value").toLowerCase();
  if (type === "email") return "Enter an email address.";
  return type === "password" ? `Enter your ${label}.` : `Enter ${withArticle(label)}.`;
}

const fullUrl = "Enter a full URL, such as https://shop.example.";

function messageFor(input: HTMLInputElement): string | undefined {
  if (input.required && input.value.trim() === "") return emptyMessage(input);
  if (!input.validity.typeMismatch) return undefined;
  return input.type === "email" ? "Enter a valid email address." : fullUrl;
}

/** Errors that the page finds before it calls the service. */
export function failureIn(form: HTMLFormElement): Failure | undefined {
  const errors = [...form.elements].flatMap((input) => {
    const message = input instanceof HTMLInputElement ? messageFor(input) : undefined;
    return message === undefined ? [] : [{ path: [input.getAttribute("name") ?? ""], message }];
  });
  const [first] = errors;
  return first && new Failure(400, { message: first.message, details: { errors } });
}

const rules: readonly (readonly [RegExp, (...found: string[]) => string])[] = [
  [/must be a string of (\d+) to (\d+) characters/, (min, max) => `Enter ${min} to ${max} characters.`],
  [/must be an integer from (\d+) to (\d+)/, (min, max) => `Enter a whole number from ${min} to ${max}.`],
  [/must be an email address/, () => "Enter a valid email address."],
  [/^Invalid (\w+Url|website)$/, () => fullUrl],
  [/cents must be a positive integer/i, () => "Enter an amount above 0."],
  [
    /^origins must be an array of at most (\d+)/,
    (max) => `Enter up to ${max} origins, one per line, such as https://app.example, without a path.`,
  ],
  [/must be a color such as (#\w+)/, (example) => `Enter a color such as ${example}.`],
  [/must be (\d+) to (\d+) printable characters/, (min, max) => `Enter ${min} to ${max} characters without spaces.`],
  [/must not be a placeholder/, () => "Enter the ID itself, not a placeholder."],
  [/must not be only white space/, () => "Enter more than spaces."],
];

/** The service's message about a field, with the field's label instead of its name in the API. */
export function inWords(message: string, name: string, label: string): string {
  for (const [rule, write] of rules) {
    const found = rule.exec(message);
    if (found !== null) return write(...found.slice(1));
  }
  // A complete sentence, such as "Enter a day", may use the field's name as an ordinary word, so it stays as it is.
  if (/^[A-Z]/.test(message)) return message;
  return message.startsWith(`${name} `)
    ? `${label}${message.slice(name.length)}`
    : message.replace(new RegExp(`\\b${name}\\b`), label.toLowerCase());
}
