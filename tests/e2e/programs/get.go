// Gets a URL with Go's own network stack and resolver; prints the body or the error.
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
)

func main() {
	answer, err := http.Get(os.Args[1])
	if err != nil {
		fmt.Println(err)
		return
	}
	body, _ := io.ReadAll(answer.Body)
	fmt.Println(string(body))
}
