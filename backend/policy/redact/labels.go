package redact

import (
	"slices"
	"strings"
	"unicode"
)

// AsksForSecret reports whether a label or a question asks for a secret: "Your password?", "PIN", "API key". It knows
// the words of several languages.
func AsksForSecret(question string) bool {
	text := strings.ToLower(question)
	for _, part := range []string{
		"password", "passwd", "passphrase", "passcode", "pass code", "secret", "token", "api key", "apikey",
		"access key", "private key", "security code", "verification code", "one-time code", "one time code",
		"recovery phrase", "recovery code", "recovery key", "seed phrase", "credential", "card number", "passwort",
		"kennwort", "geheim", "contraseña", "contrasena", "clave", "mot de passe", "senha", "palavra-passe",
		"wachtwoord", "lösenord", "adgangskode", "passord", "salasana", "hasło", "heslo", "jelszó", "parol", "şifre",
		"пароль", "κωδικ", "סיסמה", "كلمة المرور", "كلمة السر", "पासवर्ड", "密码", "密碼", "口令", "パスワード", "暗証番号", "비밀번호",
		"암호", "รหัสผ่าน", "mật khẩu",
	} {
		if strings.Contains(text, part) {
			return true
		}
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains([]string{
			"pin", "pins", "pwd", "otp", "totp", "2fa", "mfa", "tan", "cvc", "cvv", "cvc2", "cvv2", "csc", "ssn",
		}, w)
	})
}
