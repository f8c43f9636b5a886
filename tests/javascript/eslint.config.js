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
      // A sentence of the page stands on one line.
      "max-len": ["error", { code: 120, ignorePattern: '^ {2}"[\\w.]+": ".*",?$' }],
      complexity: ["error", 20],
      "max-lines": ["error", 400],
      "max-lines-per-function": ["error", { max: 110, skipComments: true }],
    },
  },
];
