/** Why a registration was refused: a programming error of whoever registered. */
export class RegistrationError extends Error {
  /** `problem` names the thing and what is wrong with it; `repair` says what to do, where that isn't the same. */
  constructor(problem: string, repair?: string, options?: ErrorOptions) {
    super(repair === undefined ? problem : `${problem}: ${repair}`, options)
    this.name = 'RegistrationError'
  }
}
