/** A policy or binding that can't be applied to a request, for a reason that its failure policy decides on. */
export class ConfigurationError extends Error {}

/** All that was left to spend is spent: nothing further is evaluated. */
export class OutOfBudget extends ConfigurationError {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run')
  }
}
