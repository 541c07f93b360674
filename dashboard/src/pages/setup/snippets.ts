const base = location.origin;

export const scriptTag = (programId: number): string =>
  `<script async src="${base}/js/svc-tracker.js" data-svc-program-id="${programId}"></script>`;

export const forwardClick = `<script>
  signUpForm.onsubmit = () => {
    signUpForm.click_id.value = window.svc?.getClickId() ?? "";
  };
</script>`;

/** Without a key, the snippet names a shell variable: a key never gets into a page by itself. */
const post = (path: string, key: string | undefined, body: string) => `curl ${base}/api/v1/track/${path} \\
  -H "Authorization: Bearer ${key ?? "$PROGRAM_API_KEY"}" \\
  -H "Content-Type: application/json" \\
  -d '${body}'`;

export const leadCall = (key: string | undefined): string =>
  post("lead", key, `{"customer_key": "your-user-id", "click_id": "from-the-form"}`);

export const saleCall = (key: string | undefined, currency: string): string =>
  post(
    "sale",
    key,
    `{"transaction_id": "your-invoice-id", "customer_key": "your-user-id",
       "amount_cents": 4900, "currency": "${currency}"}`,
  );

/** npm 12 and later install from a URL only if the project allows it. */
export const installSdk = (url: string): string => `echo "allow-remote=root" >> .npmrc
npm install ${url}`;
