// The linter of the page's scripts; the types are tsc's business (tsconfig.json).
import js from "@eslint/js";
import globals from "globals";

export default [
  {
    files: ["**/*.js"],
    ...js.configs.recommended,
    languageOptions: { ecmaVersion: 2022, sourceType: "module", globals: globals.browser },
    rules: {
      ...js.configs.recommended.rules,
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "no-shadow": "error",
      "no-var": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      eqeqeq: "error",
      "consistent-return": "off",
      // Text is never read as markup or code, nothing comes from elsewhere, and nothing is kept that could be stale.
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-restricted-globals": ["error", "caches"],
      "no-restricted-properties": ["error",
        ...["innerHTML", "outerHTML", "insertAdjacentHTML", "serviceWorker", "caches"].map((property) => ({ property })),
        { object: "document", property: "write" }],
      "no-restricted-syntax": ["error", ...["Literal[value", "TemplateElement[value.raw"].map((value) => ({
        selector: `${value}=/https?:\\/\\/(?!www\\.w3\\.org\\/2000\\/svg)/]`, message: "An address elsewhere.",
      }))],
      "max-len": ["error", { code: 120 }],
      complexity: ["error", 20],
      "max-lines": ["error", 400],
      "max-lines-per-function": ["error", { max: 110, skipComments: true }],
    },
  },
];
